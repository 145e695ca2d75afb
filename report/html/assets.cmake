# What the HTML report's page is made of besides a run's results, embedded into the library: its
# style and scripts, and Vega-Lite's where npm can give it.
option(SWEEP_VEGA "Take Vega-Lite from npm for the HTML report's interactive charts" ON)

set(assets ${CMAKE_CURRENT_BINARY_DIR}/html)
set(embed ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake)

# embed_text(NAME FILES...): a function of report/html/page_parts.h that returns the files, one
# after the other.
function(embed_text name)
  set(output ${assets}/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAME=${name} -D "FILES=${ARGN}" -P ${embed}
    DEPENDS ${embed} ${ARGN}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(sweep_report PRIVATE ${output})
endfunction()

set(page ${CMAKE_CURRENT_LIST_DIR})
embed_text(page_style ${page}/page.css ${page}/points.css ${page}/charts.css)
embed_text(page_script
  ${page}/page.js ${page}/figures.js ${page}/point_filter.js ${page}/points_table.js
  ${page}/samples_plot.js ${page}/point_detail.js ${page}/vega_spec.js
  ${page}/charts.js ${page}/start.js)

embed_text(comparison_style ${page}/../compare/comparison.css)
embed_text(comparison_script ${page}/../compare/comparison.js)

embed_text(index_style ${page}/page.css ${page}/../index/index.css)
embed_text(index_script ${page}/page.js ${page}/../index/index.js)

set(vega ${assets}/vega)
if(SWEEP_VEGA)
  # The first of its outputs is not there until the packages are: only then is it done with.
  add_custom_command(
    OUTPUT ${vega}/done
    BYPRODUCTS ${vega}/vega.js
    COMMAND ${CMAKE_COMMAND} -D PACKAGE=${page} -D FOLDER=${vega} -D STAMP=${vega}/done
            -P ${PROJECT_SOURCE_DIR}/cmake/VegaBundle.cmake
    DEPENDS ${page}/package.json ${page}/package-lock.json ${page}/.npmrc
            ${PROJECT_SOURCE_DIR}/cmake/VegaBundle.cmake
    COMMENT "Taking Vega-Lite from npm" VERBATIM)
  target_sources(sweep_report PRIVATE ${vega}/done)
  embed_text(vega_script ${vega}/vega.js)
else()
  embed_text(vega_script)
endif()
