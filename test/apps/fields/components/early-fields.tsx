/** Fields that a visitor fills in before they are hydrated. */
export function EarlyFields() {
  return (
    <form id="form" method="post">
      <label>
        Text <input id="text" name="text" />
      </label>
      <textarea id="area" name="area" defaultValue="default" />
      <textarea id="blank" name="blank" />
      <input type="checkbox" id="box" name="box" />
      <select id="choice" name="choice">
        <option>a</option>
        <option>b</option>
      </select>
      <input type="password" id="password" name="password" />
      <input type="file" id="file" name="file" />
      <input type="hidden" name="hidden" value="x" />
      <button type="submit">Send</button>
    </form>
  )
}

/** React hydrates the part of the page in pieces, and the visitor can act in between. */
export function SlowParts() {
  return Array.from({ length: 100 }, (_, index) => <SlowPart key={index} />)
}

function SlowPart() {
  const end = performance.now() + 10
  while (typeof document !== 'undefined' && !('isReady' in globalThis) && performance.now() < end);
  return <i>slow</i>
}
