// The build adds calls to the scripts of browsers that keep the stack of each thrown value without a stack of its own.
// `src/client/report.ts` reads them.

/** The global variable of the kept stacks. It is undefined until the first such value is thrown. */
export const STACKS_VARIABLE = '__hydrant_thrown'

/** How many texts, numbers and other primitive values have a stack. The oldest are forgotten. */
export const MAX_PRIMITIVES = 50

/** Stacks as the browser wrote them, whose first frame is the function that keeps them. */
export type ThrownStacks = [primitives: Map<unknown, string>, objects: WeakMap<WeakKey, string>]
