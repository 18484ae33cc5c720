int fall(int n) {
    int selector = n;
    int r = 0;
    do {
        bool fell = false;
        if (selector == 0) {
            r++;
            fell = true;
        }
        if (fell || (selector == 1 || selector == 2)) {
            r += 10;
            if (n == 2) {
                break;
            }
            r += 100;
            fell = true;
        }
        if (fell || selector == 3) {
            r += 1000;
            break;
        }
        if (fell || selector != 0 && selector != 1 && (selector != 2 && selector != 3) && selector != 9) {
            r += 7;
            fell = true;
        }
        if (fell || selector == 9) {
            r += 10000;
            break;
        }
    } while (false);
    return r;
}

int inner_loops(int n) {
    int total = 0;
    for (int i = 0; i < 6; i++) {
        int j = (int)0;
        switch (i % 3) {
            case 0:
                continue;
            case 1:
                total += i;
                break;
            default:
                if (i > n) {
                    return total + 1000;
                }
                for (j = 0;; j++) {
                    if (j == n) {
                        break;
                    }
                    if (j > 3) {
                        total += 2;
                        break;
                    }
                    if ((j & 1) == 0) {
                        continue;
                    }
                    total += 5;
                }
                break;
        }
        total++;
    }
    return total;
}

int do_loops(int n) {
    int i = 0;
    int sum = 0;
    do {
        i++;
        if (i == 3) {
            continue;
        }
        if (i == 8) {
            break;
        }
        sum += i;
    } while (i < n);
    while (true) {
        if (sum > 20) {
            break;
        }
        sum += 6;
    }
    return sum;
}

int logic(int n) {
    int calls = 0;
    bool t;
    if (n > 3) {
        calls++;
        t = n < 9;
    } else {
        t = false;
    }
    bool a = t;
    bool t_1;
    if (n < 2) {
        t_1 = true;
    } else {
        calls++;
        t_1 = n == 5;
    }
    bool b = t_1;
    int c = a ? b ? 1 : 2 : b ? 3 : 4;
    bool d = a != b;
    return calls * 100 + c * 10 + (d ? 1 : 0);
}

int shadowed(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        int z = 2;
        z += i;
        s += z;
        int z_1 = 5;
        s += z_1;
        if (i == 4) {
            return -s;
        }
    }
    return s;
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    int n = int(frag_coord.x);
    int m = int(frag_coord.y);
    if (n == 15 && m == 15) {
        discard;
        return (float4)0;
    }
    return float4(float(fall(n)), float(inner_loops(n + m)), float(do_loops(n) + logic(m)), float(shadowed(n) + logic(n)));
}
