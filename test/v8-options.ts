/**
 * V8 waits longer before it optimizes a function, which takes up to a third of the time of a short process. Programs
 * that tests start get these options too.
 */
export const V8_OPTIONS = ['--interrupt-budget=1000000']
