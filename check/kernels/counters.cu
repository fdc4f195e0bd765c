/* What the counters say of single warps whose every access is known: each kernel runs on one block of
 * 32 threads, and the row that the device writes for it is compared column by column. */
#include <cpu_device.h>
#include <cuda_pipeline.h>
#include <string.h>
#include "expect.h"

enum { COLUMNS = 32 };

struct row {
    char text[1024];
    const char *field[COLUMNS];
};

static void split(struct row *r)
{
    int n = 0;

    r->text[strcspn(r->text, "\n")] = 0;
    r->field[n++] = r->text;
    for (char *p = r->text; *p && n < COLUMNS; p++)
        if (*p == ',') {
            *p = 0;
            r->field[n++] = p + 1;
        }
}

/* The column of the launches since the last call, which must have made one row. */
static struct row header, counted;

static void count_launch(void)
{
    FILE *csv = tmpfile();

    if (!csv || launch_error())
        exit(3);
    strcpy(header.text, cpu_device_csv_header);
    cpu_device_report(NULL, csv, "");
    rewind(csv);
    if (!fgets(counted.text, sizeof(counted.text), csv))
        exit(3);
    fclose(csv);
    split(&header);
    split(&counted);
}

static void expect_count(const char *column, long long wanted, const char *text)
{
    for (int i = 0; i < COLUMNS && header.field[i]; i++)
        if (!strcmp(header.field[i], column)) {
            expect_equal(atoll(counted.field[i]), wanted, text);
            return;
        }
    expect(false, column);
}

/* 16 bytes a lane through shared memory: 512 bytes, 16 sectors, 4 wavefronts. */
__global__ void copy_plain(int4 *out, const int4 *in)
{
    __shared__ int4 kept[32];

    kept[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = kept[31 - threadIdx.x];
}

__global__ void copy_async(int4 *out, const int4 *in)
{
    __shared__ int4 kept[32];

    __pipeline_memcpy_async(&kept[threadIdx.x], &in[threadIdx.x], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[threadIdx.x] = kept[31 - threadIdx.x];
}

int main()
{
    int4 *in = device_array<int4>(32), *out = device_array<int4>(32), values[32], *found;
    bool same = true;

    cpu_device_set_tools(CPU_COUNTERS);
    for (int i = 0; i < 32; i++)
        values[i] = make_int4(i, 2 * i, 3 * i, 4 * i);
    cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice);

    copy_plain<<<1, 32>>>(out, in);
    count_launch();
    expect_count("global_load_requests", 1, "a plain copy loads once");
    expect_count("shared_store_instructions", 1, "a plain copy stores to shared memory");
    expect_count("shared_store_wavefronts", 4, "which takes 4 wavefronts");

    copy_async<<<1, 32>>>(out, in);
    count_launch();
    found = on_host(out, 32);
    for (int i = 0; i < 32; i++)
        same = same && found[i].x == 31 - i && found[i].w == 4 * (31 - i);
    expect(same, "an asynchronous copy arrives");
    expect_count("global_load_requests", 1, "an asynchronous copy is a load of global memory");
    expect_count("global_load_sectors", 16, "of as many sectors");
    expect_count("shared_store_instructions", 0, "and no store instruction");
    expect_count("shared_store_wavefronts", 0, "nor wavefronts of one");
    expect_count("shared_load_instructions", 1, "what it copied is then loaded");
    expect_count("global_store_requests", 1, "and stored");
    return expect_status();
}
