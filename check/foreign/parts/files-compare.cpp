// Of program-files.cu: plain C++, for the host alone.
#include <algorithm>
#include <cmath>

double largest_difference(const float *a, const float *b, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = std::max(largest, std::fabs((double)a[i] - b[i]));
    return largest;
}
