'use strict';

function start() {
  setUpTheme();
  setUpCopying();
  const data = pageData('points-data');
  if (!data) {
    drawCharts(null, () => {});
    return;
  }
  const points = new Points(data);
  const detail = new PointDetail(points);
  const open = (point) => detail.open(point);
  const table = new PointsTable(points, open);
  detail.table = table;
  setUpFilter(points, table);
  setUpColumns(points, table);
  for (const element of document.querySelectorAll('.controls, #filter-help')) element.hidden = false;
  drawCharts(points, open);
}

start();
