// The precompiled headers of the tests belong to it.
