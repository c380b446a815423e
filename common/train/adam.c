/* adam.c - the step of Adam, after the gradients or along with them */
#include "common/device/device.h"
#include "common/train/vector.h"

int se_net_parameter_at(const struct se_net *net, uint64_t start)
{
    int i = 0;

    while (net->parameter[i].start != start)
        i++;
    return i;
}

/* The next step of all parameters */
static struct se_adam next_step(struct se_net *net, double rate, double decay)
{
    struct se_adam a = { net->value, net->moment, net->square, net->grad, 0, (se_real)decay, 0,
                         net->count };

    net->steps++;
    net->current = 0;
    a.rate = (se_real)(rate / (1 - pow(0.9, (double)net->steps)));
    a.root = (se_real)(1 / sqrt(1 - pow(0.999, (double)net->steps)));
    return a;
}

SE_WIDE static void adam_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_adam a = *(const struct se_adam *)arg;

    for (uint64_t i = from; i < to; i += SE_LANES) {
        const uint64_t count = to - i < SE_LANES ? to - i : SE_LANES;
        se_vec grad;

        se_load(a.grad + i, count, &grad);
        se_adam(&a, i, count, &grad);
    }
}

static void take_step(const struct se_net *net, struct se_adam *a)
{
    if (net->gpu)
        net->gpu->cuda->adam(net->gpu->device, a);
    else
        se_ranges(net, a->count, 4, adam_range, a);
}

void se_net_adam(struct se_net *net, double rate, double decay)
{
    struct se_adam a = next_step(net, rate, decay);

    take_step(net, &a);
}

static struct se_adam part_of(const struct se_adam *a, uint64_t start, uint64_t count)
{
    return (struct se_adam){ a->value + start, a->moment + start, a->square + start,
                             a->grad + start, a->rate, a->decay, a->root, count };
}

struct se_adam se_step_of(const struct se_net *net, const se_real *grad)
{
    const int i = se_net_parameter_at(net, (uint64_t)(grad - net->grad));
    const struct se_parameter *p = &net->parameter[i];

    net->step->taken[i] = true;
    return part_of(&net->step->adam, p->start, p->rows * p->cols);
}

void se_net_learn(struct se_net *net, const se_real *dlogits, double rate, double decay)
{
    struct se_step step = { .adam = next_step(net, rate, decay) };

    if (net->gpu) {
        se_net_backward(net, dlogits);
        take_step(net, &step.adam);
        return;
    }
    net->step = &step;
    se_net_backward(net, dlogits);
    net->step = NULL;
    for (int i = 0; i < net->parameters; i++) {
        const struct se_parameter *p = &net->parameter[i];
        struct se_adam a = part_of(&step.adam, p->start, p->rows * p->cols);

        if (!step.taken[i])
            take_step(net, &a);
    }
}
