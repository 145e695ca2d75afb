/// A library that is called NVRTC and has a version, SWEEP_NVRTC_MAJOR.0, but not all functions.

extern "C" const char* nvrtcGetErrorString(int /*result*/) {
  return "an error";
}

extern "C" int nvrtcVersion(int* major, int* minor) {
  *major = SWEEP_NVRTC_MAJOR;
  *minor = 0;
  return 0;
}
