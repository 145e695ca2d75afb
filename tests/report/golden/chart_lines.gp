set encoding utf8
set terminal svg size 760,426 noenhanced font 'sans-serif,11' background '#fefefe'
set multiplot
unset key
set tics nomirror out scale 0.5
set label 'Lines' at screen 0.02105,0.93897 left font ',15' tc rgb '#1b1f24'
set label 'bandwidth [GB/s]' at screen 0.02105,0.89202 left font ',12' tc rgb '#6e7781'
set label 'STRIDE' at screen 0.36789,0.06103 center font ',12' tc rgb '#1b1f24'
set lmargin at screen 0.07189
set rmargin at screen 0.66389
set bmargin at screen 0.15023
set tmargin at screen 0.85446
set border 3 lc rgb '#6e7781' lw 1
set logscale x 2
set xrange [0.8705505632961241:36.75834735990512]
set xtics norotate ('1' 1, '2' 2, '8' 8, '32' 32) font ',11' tc rgb '#1b1f24'
unset logscale y
set yrange [0:5103.16224]
set grid ytics back lt 1 lc rgb '#e1e4e8' lw 1
set ytics ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000) font ',11' tc rgb '#1b1f24'
$data0 << EOD
1 2652.4375
2 1326.21875
8 331.5546875
32 331.5546875
EOD
$data1 << EOD
1 2738
2 1369

32 342.25
EOD
$data2 << EOD
1 2713.953125
2 1356.9765625
8 339.244140625

EOD
$data3 << EOD
1 2801.5
2 1400.75
8 350.1875

EOD
$data4 << EOD
8 0.03
32 0.03
32 0.03
EOD
plot 4814.304 with lines lc rgb '#6e7781' lw 1.3 dt (7,5) notitle, \
     $data0 using 1:2 with linespoints lc rgb '#0072b2' lw 2 dt 1 pt 7 ps 0.75 notitle, \
     $data1 using 1:2 with linespoints lc rgb '#d55e00' lw 2 dt (9,3) pt 5 ps 0.75 notitle, \
     $data2 using 1:2 with linespoints lc rgb '#009e73' lw 2 dt (3,3) pt 9 ps 0.75 notitle, \
     $data3 using 1:2 with linespoints lc rgb '#cc79a7' lw 2 dt (9,3,2,3) pt 13 ps 0.75 notitle, \
     $data4 using 1:(0+$2*5103.16224) with points pt 2 ps 0.8 lw 1.6 lc rgb '#1b1f24' notitle
unset label
unset label
unset border
unset tics
unset grid
unset logscale
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
set xrange [0:760]
set yrange [426:0]
set label 'T, BLOCK' at first 524.56,72 left font ',12' tc rgb '#6e7781'
set label 'float, 128' at first 562.56,92 left font ',12' tc rgb '#1b1f24'
$sample1 << EOD
524.56 92
554.56 92
EOD
set label 'float, 256' at first 562.56,112 left font ',12' tc rgb '#1b1f24'
$sample2 << EOD
524.56 112
554.56 112
EOD
set label 'double, 128' at first 562.56,132 left font ',12' tc rgb '#1b1f24'
$sample3 << EOD
524.56 132
554.56 132
EOD
set label 'double, 256' at first 562.56,152 left font ',12' tc rgb '#1b1f24'
$sample4 << EOD
524.56 152
554.56 152
EOD
set label 'theoretical peak: 4814 GB/s' at first 562.56,172 left font ',12' tc rgb '#1b1f24'
$sample5 << EOD
524.56 172
554.56 172
EOD
set label 'failed' at first 562.56,192 left font ',12' tc rgb '#1b1f24'
$sample6 << EOD
524.56 192
554.56 192
EOD
plot $sample1 using 1:2 with lines lc rgb '#0072b2' lw 2 dt 1 notitle, $sample1 using (539.56):2 every ::0::0 with points lc rgb '#0072b2' lw 2 pt 7 ps 0.75 notitle, \
     $sample2 using 1:2 with lines lc rgb '#d55e00' lw 2 dt (9,3) notitle, $sample2 using (539.56):2 every ::0::0 with points lc rgb '#d55e00' lw 2 pt 5 ps 0.75 notitle, \
     $sample3 using 1:2 with lines lc rgb '#009e73' lw 2 dt (3,3) notitle, $sample3 using (539.56):2 every ::0::0 with points lc rgb '#009e73' lw 2 pt 9 ps 0.75 notitle, \
     $sample4 using 1:2 with lines lc rgb '#cc79a7' lw 2 dt (9,3,2,3) notitle, $sample4 using (539.56):2 every ::0::0 with points lc rgb '#cc79a7' lw 2 pt 13 ps 0.75 notitle, \
     $sample5 using 1:2 with lines lc rgb '#6e7781' lw 1.3 dt (7,5) notitle, \
     $sample6 using (539.56):2 every ::0::0 with points pt 2 ps 0.8 lw 1.6 lc rgb '#1b1f24' notitle
unset multiplot
