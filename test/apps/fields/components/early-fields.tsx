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
