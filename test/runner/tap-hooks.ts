// Hooks of Node.js for the imports of a test process.

import type { ResolveHook } from 'node:module'

const REPLACEMENT = new URL('tap.js', import.meta.url).href
const TESTS = new URL('../', import.meta.url).href

export const resolve: ResolveHook = (specifier, context, next) => {
  const { parentURL = '' } = context
  const isOfTest = specifier === 'tap' && parentURL.startsWith(TESTS) && parentURL !== REPLACEMENT
  return isOfTest ? { url: REPLACEMENT, shortCircuit: true } : next(specifier, context)
}
