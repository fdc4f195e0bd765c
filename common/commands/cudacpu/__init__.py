"""What steps/cuda and cuda-cpu do: any .cu file, translated, compiled and run."""
