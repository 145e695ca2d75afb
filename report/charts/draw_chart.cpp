#include "report/charts/draw_chart.h"

#include <string_view>

#include "report/charts/gnuplot_process.h"
#include "report/charts/svg_picture.h"

namespace sweep {
namespace {

/// A PNG file ends with an empty chunk of this type, and its checksum.
void check_png(const std::string& picture) {
  constexpr std::string_view last_chunk("IEND\xae\x42\x60\x82", 8);
  if (!picture.starts_with("\x89PNG") || !picture.ends_with(last_chunk)) {
    throw DrawingError("gnuplot wrote a picture that is no PNG, or ended in the middle of it");
  }
}

}  // namespace

std::string draw_chart(const Chart& chart, PictureFormat format,
                       const std::filesystem::path& gnuplot) {
  std::string picture = run_gnuplot(gnuplot, gnuplot_script(chart, format));
  if (format == PictureFormat::svg) return finish_svg(picture, chart);
  check_png(picture);
  return picture;
}

}  // namespace sweep
