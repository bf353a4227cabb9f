/**
 * Ends the stack traces of a function that is called after `await stackEnd`. V8 keeps a fixed number of frames, which
 * then all belong to this function and those that it calls, and none to its callers.
 */
export const stackEnd = Promise.resolve()
