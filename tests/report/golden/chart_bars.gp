set encoding utf8
set terminal pngcairo size 1520,852 noenhanced font 'sans-serif,11' fontscale 1.5 linewidth 2 pointscale 2 dashlength 2 background '#fefefe'
set multiplot
unset key
set tics nomirror out scale 0.5
set label 'bandwidth [GB/s] by T and STRIDE' at screen 0.02105,0.93897 left font ',15' tc rgb '#1b1f24'
set label 'bandwidth [GB/s]' at screen 0.02105,0.89202 left font ',12' tc rgb '#6e7781'
set label 'T' at screen 0.36789,0.06103 center font ',12' tc rgb '#1b1f24'
set lmargin at screen 0.07189
set rmargin at screen 0.66389
set bmargin at screen 0.15023
set tmargin at screen 0.85446
set border 3 lc rgb '#6e7781' lw 1
unset logscale x
set xrange [-0.5:1.5]
set xtics norotate ('float' 0, 'double' 1) font ',11' tc rgb '#1b1f24'
unset logscale y
set yrange [0:5103.16224]
set grid ytics back lt 1 lc rgb '#e1e4e8' lw 1
set ytics ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000) font ',11' tc rgb '#1b1f24'
$data0 << EOD
-0.30000000000000004 2738 0.18400000000000002
0.7 2801.5 0.18400000000000002
EOD
$data1 << EOD
-0.30000000000000004 2738 "2738"
0.7 2801.5 "2802"
EOD
$data2 << EOD
-0.09999999999999998 1369 0.18400000000000002
0.9 1400.75 0.18400000000000002
EOD
$data3 << EOD
-0.09999999999999998 1369 "1369"
0.9 1400.75 "1401"
EOD
$data4 << EOD
1.1 350.1875 0.18400000000000002
EOD
$data5 << EOD
1.1 350.1875 "350.2"
EOD
$data6 << EOD
0.30000000000000004 342.25 0.18400000000000002
EOD
$data7 << EOD
0.30000000000000004 342.25 "342.2"
EOD
$data8 << EOD
0.09999999999999998 0.03
1.3 0.03
EOD
plot 4814.304 with lines lc rgb '#6e7781' lw 1.3 dt (7,5) notitle, \
     $data0 using 1:2:3 with boxes lc rgb '#0072b2' fs solid 0.9 noborder notitle, \
     $data1 using 1:2:(stringcolumn(3)) with labels offset 0,0.7 font ',10' tc rgb '#1b1f24' notitle, \
     $data2 using 1:2:3 with boxes lc rgb '#d55e00' fs solid 0.9 noborder notitle, \
     $data3 using 1:2:(stringcolumn(3)) with labels offset 0,0.7 font ',10' tc rgb '#1b1f24' notitle, \
     $data4 using 1:2:3 with boxes lc rgb '#009e73' fs solid 0.9 noborder notitle, \
     $data5 using 1:2:(stringcolumn(3)) with labels offset 0,0.7 font ',10' tc rgb '#1b1f24' notitle, \
     $data6 using 1:2:3 with boxes lc rgb '#cc79a7' fs solid 0.9 noborder notitle, \
     $data7 using 1:2:(stringcolumn(3)) with labels offset 0,0.7 font ',10' tc rgb '#1b1f24' notitle, \
     $data8 using 1:(0+$2*5103.16224) with points pt 2 ps 0.8 lw 1.6 lc rgb '#1b1f24' notitle
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
set label 'STRIDE' at first 524.56,72 left font ',12' tc rgb '#6e7781'
set label '1' at first 562.56,92 left font ',12' tc rgb '#1b1f24'
$sample1 << EOD
524.56 92
554.56 92
EOD
set label '2' at first 562.56,112 left font ',12' tc rgb '#1b1f24'
$sample2 << EOD
524.56 112
554.56 112
EOD
set label '8' at first 562.56,132 left font ',12' tc rgb '#1b1f24'
$sample3 << EOD
524.56 132
554.56 132
EOD
set label '32' at first 562.56,152 left font ',12' tc rgb '#1b1f24'
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
plot $sample1 using (539.56):2:(540.56):(554.56):(86):(98) every ::0::0 with boxxyerror lc rgb '#0072b2' fs solid 0.9 noborder notitle, \
     $sample2 using (539.56):2:(540.56):(554.56):(106):(118) every ::0::0 with boxxyerror lc rgb '#d55e00' fs solid 0.9 noborder notitle, \
     $sample3 using (539.56):2:(540.56):(554.56):(126):(138) every ::0::0 with boxxyerror lc rgb '#009e73' fs solid 0.9 noborder notitle, \
     $sample4 using (539.56):2:(540.56):(554.56):(146):(158) every ::0::0 with boxxyerror lc rgb '#cc79a7' fs solid 0.9 noborder notitle, \
     $sample5 using 1:2 with lines lc rgb '#6e7781' lw 1.3 dt (7,5) notitle, \
     $sample6 using (539.56):2 every ::0::0 with points pt 2 ps 0.8 lw 1.6 lc rgb '#1b1f24' notitle
unset multiplot
