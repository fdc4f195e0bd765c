// nvcc: no
// Textures and surfaces that are declared at file scope, as before CUDA 12: of linear memory, of rows,
// of an array, read as they are and as numbers of 0 to 1.
#include <cstdio>

texture<float, 1, cudaReadModeElementType> line;
texture<float, cudaTextureType2D> plane;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
surface<void, cudaSurfaceType2D> screen;

__global__ void fetch(float *out)
{
    int i = threadIdx.x;
    float4 colour = tex2D(colours, i % 4 + 0.5f, i / 4 + 0.5f);

    out[4 * i] = tex1Dfetch(line, i);
    out[4 * i + 1] = tex2D(plane, i * 0.5f, 1);
    out[4 * i + 2] = colour.x + colour.y;
    surf2Dwrite(10.0f * i, screen, i % 4 * (int)sizeof(float), i / 4);
    out[4 * i + 3] = surf2Dread<float>(screen, i % 4 * (int)sizeof(float), i / 4);
}

int main()
{
    cudaArray *pixels, *painted;
    float values[16], *linear, *rows, *out;
    uchar4 bytes[16];
    size_t pitch, offset;

    for (int i = 0; i < 16; i++) {
        values[i] = i * i;
        bytes[i] = make_uchar4(i, 255 - 2 * i, 0, 0);
    }
    cudaMalloc(&linear, sizeof(values));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemcpy(linear, values, sizeof(values), cudaMemcpyHostToDevice);
    cudaMallocPitch(&rows, &pitch, 4 * sizeof(float), 4);
    cudaMemcpy2D(rows, pitch, values, 16, 16, 4, cudaMemcpyHostToDevice);
    cudaBindTexture(&offset, line, linear, 7 * sizeof(float));
    plane.filterMode = cudaFilterModeLinear;
    plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
    cudaBindTexture2D(&offset, plane, rows, plane.channelDesc, 4, 4, pitch);
    cudaMallocArray(&pixels, &colours.channelDesc, 4, 4);
    cudaMemcpyToArray(pixels, 0, 0, bytes, sizeof(bytes), cudaMemcpyHostToDevice);
    cudaBindTextureToArray(colours, pixels);
    cudaMallocArray(&painted, &plane.channelDesc, 4, 4, cudaArraySurfaceLoadStore);
    cudaBindSurfaceToArray(screen, painted);
    fetch<<<1, 8>>>(out);
    float found[32];
    cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        printf("%.4g%c", found[i], i % 8 == 7 ? '\n' : ' ');
    cudaUnbindTexture(line);
    cudaFreeArray(pixels);
    fetch<<<1, 8>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
