/* adam.c - the step of Adam, after the gradients or along with them */
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

void se_net_adam(struct se_net *net, double rate, double decay)
{
    const struct se_adam a = next_step(net, rate, decay);

    net->ops->adam(net->worker, &a);
}

static struct se_adam part_of(const struct se_net *net, const struct se_adam *a,
                              const struct se_parameter *p)
{
    const se_real decay = p->dense && net->dense_decay ? (se_real)*net->dense_decay : a->decay;

    return (struct se_adam){ a->value + p->start, a->moment + p->start, a->square + p->start,
                             a->grad + p->start, a->rate, p->decays ? decay : 0, a->root,
                             p->rows * p->cols };
}

struct se_adam se_step_of(const struct se_net *net, const se_real *grad)
{
    const int i = se_net_parameter_at(net, (uint64_t)(grad - net->grad));
    const struct se_parameter *p = &net->parameter[i];

    net->step->taken[i] = true;
    return part_of(net, &net->step->adam, p);
}

static void take_steps(struct se_net *net, const struct se_step *step)
{
    for (int i = 0; i < net->parameters; i++) {
        const struct se_adam a = part_of(net, &step->adam, &net->parameter[i]);

        if (!step->taken[i])
            net->ops->adam(net->worker, &a);
    }
}

void se_net_step(struct se_net *net, double rate, double decay)
{
    const struct se_step step = { .adam = next_step(net, rate, decay) };

    take_steps(net, &step);
}

void se_net_learn(struct se_net *net, const se_real *dlogits, double rate, double decay)
{
    struct se_step step = { .adam = next_step(net, rate, decay) };

    net->step = net->ops->host ? &step : NULL;
    se_net_backward(net, dlogits);
    net->step = NULL;
    take_steps(net, &step);
}
