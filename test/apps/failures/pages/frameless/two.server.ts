export function load() {
  throw new AggregateError([new Error('x1'), new TypeError('x2')], 'two')
}
