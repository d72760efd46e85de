/* How far compiled recursion may go down the stack, where the runtime decides it. */
#ifndef NUMJIT_RUNTIME_STACK_H
#define NUMJIT_RUNTIME_STACK_H

/* Sets the result of nj_stack_limit() in this thread, as code runs on another stack. */
extern "C" void nj_set_stack_limit(char *lowest);

#endif
