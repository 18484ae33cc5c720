// ERROR: E0407 3:31
#version 400
in Bend { noperspective dmat2 turn[2]; };
out vec4 color;
void main() { color = vec4(turn[0][0][1]); }
