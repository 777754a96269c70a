// dlib's svm_pegasos and krls over the rows of a file: what bench/peers/child.py does, in C++.
// usage: dlib_peer MODEL SIZE GAMMA PARAMETER SPARSE FEATURES ROWS ALLOWANCE FOLDER ANSWERS

#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <dlib/svm/kernel.h>
#include <dlib/svm/krls.h>
#include <dlib/svm/pegasos.h>
#include <dlib/svm/sparse_kernel.h>

using Dense = dlib::matrix<double, 0, 1>;
using Sparse = std::vector<std::pair<unsigned long, double>>;

struct Setting {
    unsigned long size;
    double gamma, parameter;
    long features, rows;
    double allowance;
    std::string folder, answers;
};

static void convert(const float *x, long d, Dense &row) {
    row.set_size(d);
    for (long j = 0; j < d; ++j) row(j) = x[j];
}

static void convert(const float *x, long d, Sparse &row) {
    row.clear();
    for (long j = 0; j < d; ++j)
        if (x[j] != 0.0f) row.push_back({static_cast<unsigned long>(j), x[j]});
}

static double peak_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) * 1.024e-3;
    return 0.0;
}

// A block of rows is read and converted untimed, then scored and learned row by row, timed.
template <class Row, class Model> static void run(Model &model, const Setting &s) {
    constexpr long block = 200;
    std::ifstream xs(s.folder + "/X", std::ios::binary), ys(s.folder + "/y", std::ios::binary);
    std::ofstream answers(s.answers, std::ios::binary);
    std::vector<float> x(block * s.features);
    std::vector<double> y(block), scores(block);
    std::vector<Row> rows(block);
    std::clock_t ticks = 0;
    long done = 0;
    while (done < s.rows && double(ticks) / CLOCKS_PER_SEC < s.allowance) {
        const long n = std::min(block, s.rows - done);
        xs.read(reinterpret_cast<char *>(x.data()), n * s.features * sizeof(float));
        ys.read(reinterpret_cast<char *>(y.data()), n * sizeof(double));
        for (long i = 0; i < n; ++i) convert(&x[i * s.features], s.features, rows[i]);
        const std::clock_t start = std::clock();
        for (long i = 0; i < n; ++i) {
            scores[i] = model(rows[i]);
            model.train(rows[i], y[i]);
        }
        ticks += std::clock() - start;
        for (long i = 0; i < n; ++i) answers.put((scores[i] >= 0.0) == (y[i] > 0.0));
        done += n;
    }
    std::cout << "{\"seconds\": " << double(ticks) / CLOCKS_PER_SEC << ", \"rows\": " << done
              << ", \"import_ms\": 0.0, \"peak_mb\": " << peak_mb() << "}\n";
}

template <class Row, class Kernel> static void choose(const std::string &name, const Setting &s) {
    const Kernel kernel(s.gamma);
    if (name == "krls") {
        dlib::krls<Kernel> model(kernel, s.parameter, s.size);
        run<Row>(model, s);
    } else {
        dlib::svm_pegasos<Kernel> model;
        model.set_kernel(kernel);
        model.set_lambda(s.parameter);
        model.set_max_num_sv(s.size);
        run<Row>(model, s);
    }
}

int main(int argc, char **argv) {
    if (argc != 11) return 2;
    const std::string name = argv[1];
    const Setting s{std::stoul(argv[2]), std::stod(argv[3]), std::stod(argv[4]),
                    std::stol(argv[6]),  std::stol(argv[7]), std::stod(argv[8]),
                    argv[9],             argv[10]};
    if (std::string(argv[5]) == "1")
        choose<Sparse, dlib::sparse_radial_basis_kernel<Sparse>>(name, s);
    else
        choose<Dense, dlib::radial_basis_kernel<Dense>>(name, s);
    return 0;
}
