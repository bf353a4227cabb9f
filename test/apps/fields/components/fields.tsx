import { Suspense, use } from 'react'
import type { Stored } from '../stored.server.ts'
import { options } from './options.tsx'

/** Every kind of field. */
export function Fields({ data }: { data: Omit<Stored, 'late'> & { later: Promise<string> } }) {
  return (
    <>
      <input id="text" name="text" defaultValue={data.text} />
      <input id="number" name="number" type="number" defaultValue={data.number} />
      <input id="day" name="day" type="date" defaultValue={data.day} />
      <input id="range" name="range" type="range" max="50" defaultValue={data.range} />
      <input id="color" name="color" type="color" defaultValue={data.color} />
      <textarea id="area" name="area" defaultValue={data.area} />
      <input id="box" name="box" type="checkbox" defaultChecked={data.box} />
      <input id="ticked" name="ticked" type="checkbox" {...(data.ticked && { defaultChecked: true })} />
      {['a', 'b', 'c'].map((value) => (
        <input key={value} id={value} name="kind" type="radio" value={value} defaultChecked={data.kind === value} />
      ))}
      <select id="choice" name="choice" defaultValue={data.choice}>
        {options}
      </select>
      <select id="many" name="many" multiple defaultValue={data.many}>
        {options}
      </select>
      <select id="grouped" name="grouped" defaultValue={data.grouped}>
        <optgroup label="1">
          <option>a</option>
        </optgroup>
        <optgroup label="2">
          <option>b</option>
          <option>c</option>
        </optgroup>
      </select>
      <select id="none" name="none" {...(data.none && { defaultValue: data.none })}>
        <option disabled>x</option>
        {options}
      </select>
      <select id="sized" name="sized" size={3} {...(data.none && { defaultValue: data.none })}>
        {options}
      </select>
      <select id="twin" name="twin" defaultValue={data.choice}>
        {options}
        <option>a</option>
      </select>
      <input id="keyed" key={data.round} name="keyed" defaultValue={data.keyed} />
      <output id="output">
        round {data.round} <b>of</b> many
      </output>
      <Suspense fallback={<p>Wait</p>}>
        <Late later={data.later} />
      </Suspense>
    </>
  )
}

function Late({ later }: { later: Promise<string> }) {
  return (
    <select id="late" name="late" form="form" defaultValue={use(later)}>
      {options}
    </select>
  )
}
