export function Child({ word }: { word: string }) {
  countRender()
  return <i id="child">{word}</i>
}

function countRender() {
  Object.assign(globalThis, { renders: (Reflect.get(globalThis, 'renders') ?? 0) + 1 })
}
