let turns = 0

function later<Value>(value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, 20 + 10 * (turns++ % 7), value))
}

export function load() {
  return {
    text: later('late text'),
    element: later('late element'),
    nested: later('late nested'),
    row: later('late row'),
    radius: later(15),
    list: later('late list'),
    inner: later('late inner list'),
  }
}
