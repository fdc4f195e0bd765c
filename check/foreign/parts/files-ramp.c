/* Of program-files.cu: plain C. */
void fill_ramp(float *x, int n, float step)
{
    int i;

    for (i = 0; i < n; i++)
        x[i] = step * (float)i;
}
