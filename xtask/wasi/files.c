// What wasi-libc makes of the calls: streams, files, directories, errors. It ends with 7; a check that fails says its line.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: errno %d\n", __LINE__, errno); return 1; } } while (0)

int main(int argc, char **argv) {
    CHECK(argc == 2 && !strcmp(argv[1], "argument") && !strcmp(getenv("NAME"), "value"));
    char line[64];
    CHECK(fgets(line, sizeof line, stdin) && !strcmp(line, "input\n") && !fgets(line, sizeof line, stdin));
    CHECK(mkdir("/data/c", 0777) == 0 && mkdir("/data/c", 0777) == -1 && errno == EEXIST);
    FILE *file = fopen("/data/c/file", "w+");
    CHECK(file && fprintf(file, "number %d\n", 42) == 10 && fseek(file, -3, SEEK_END) == 0);
    CHECK(fgetc(file) == '4' && ftell(file) == 8 && fclose(file) == 0);
    file = fopen("/data/c/file", "a");
    CHECK(file && fputs("more", file) >= 0 && fclose(file) == 0);
    struct stat stat_of;
    CHECK(stat("/data/c/file", &stat_of) == 0 && stat_of.st_size == 14 && S_ISREG(stat_of.st_mode));
    int fd = open("/data/c/file", O_RDONLY);
    CHECK(fd >= 0 && pread(fd, line, 6, 8) == 6 && !memcmp(line, "2\nmore", 6) && write(fd, "x", 1) == -1);
    CHECK(close(fd) == 0 && rename("/data/c/file", "/data/c/other") == 0 && access("/data/c/file", F_OK) == -1);
    DIR *folder = opendir("/data/c");
    int count = 0, found = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)); count++) found += !strcmp(entry->d_name, "other");
    CHECK(folder && count == 3 && found == 1 && closedir(folder) == 0);
    CHECK(open("/data/../secret", O_RDONLY) == -1 && rmdir("/data/c") == -1 && errno == ENOTEMPTY);
    CHECK(unlink("/data/c/other") == 0 && rmdir("/data/c") == 0);
    struct timespec before, after, wait = {0, 3000000};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &before) == 0 && nanosleep(&wait, 0) == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 3000000);
    puts("all is well");
    return 7;
}
