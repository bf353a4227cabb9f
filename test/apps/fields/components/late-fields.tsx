import { useEffect } from 'react'
import type { LateValues } from '../late.server.ts'
import { options } from './options.tsx'

/** Every kind of field whose value the browser keeps, twice. */
export function LateFields({ data }: { data: LateValues }) {
  // No text, because React renders a part anew whose text differs.
  useEffect(() => {
    document.documentElement.dataset.late = String(data.round)
  }, [data.round])
  return (
    <form id="inner" method="post">
      {['', '2'].map((set) => (
        <section key={set}>
          <input id={`text${set}`} name={`text${set}`} defaultValue={data.text} />
          <textarea id={`area${set}`} name={`area${set}`} defaultValue={data.area} />
          <input id={`box${set}`} name={`box${set}`} type="checkbox" defaultChecked={data.box} />
          {['a', 'b', 'c'].map((value) => (
            <input
              key={value}
              id={value + set}
              name={`kind${set}`}
              type="radio"
              value={value}
              defaultChecked={data.choice === value}
            />
          ))}
          <select id={`choice${set}`} name={`choice${set}`} defaultValue={data.choice}>
            {options}
          </select>
          <select id={`many${set}`} name={`many${set}`} multiple defaultValue={[data.choice]}>
            {options}
          </select>
          <select id={`grouped${set}`} name={`grouped${set}`} defaultValue={data.choice}>
            <optgroup label="1">
              <option>a</option>
            </optgroup>
            <optgroup label="2">
              <option>b</option>
              <option>c</option>
            </optgroup>
          </select>
        </section>
      ))}
      <input id="comment" name="comment" />
      <button type="submit" id="inside" name="intent" value="same">
        same
      </button>
      <button type="submit" id="insideHere" name="intent" value="here">
        here
      </button>
      <button type="submit" id="insideThere" name="intent" value="there">
        there
      </button>
    </form>
  )
}
