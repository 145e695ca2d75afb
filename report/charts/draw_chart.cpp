#include "report/charts/draw_chart.h"

#include "report/charts/gnuplot_process.h"
#include "report/charts/svg_picture.h"

namespace sweep {

std::string draw_chart(const Chart& chart, PictureFormat format,
                       const std::filesystem::path& gnuplot) {
  std::string picture = run_gnuplot(gnuplot, gnuplot_script(chart, format));
  return format == PictureFormat::svg ? finish_svg(picture, chart) : picture;
}

}  // namespace sweep
