/** Values without a stack of their own, by the kinds in the addresses. */
export const values: Record<string, () => unknown> = {
  string: () => 'text',
  number: () => 42,
  undefined: () => undefined,
  null: () => null,
  symbol: () => Symbol('sign'),
  digest: () => ({ digest: 'x' }),
  frozen: () => Object.freeze({ a: 1 }),
  deleted() {
    const error = new Error('deleted')
    delete error.stack
    return error
  },
  overwritten: () => Object.assign(new Error('overwritten'), { stack: 'nothing of use' }),
  unreadable: () =>
    Object.defineProperty(new Error('unreadable'), 'stack', {
      get() {
        throw new Error('the stack')
      },
    }),
}
