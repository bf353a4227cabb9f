import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

const options = ['a', 'b', 'c'].map((value) => <option key={value}>{value}</option>)

export default function Stored({ data }: PageProps<'/stored'>) {
  const [own, setOwn] = useState('a')
  return (
    <form method="post">
      <select name="choice" defaultValue={data.choice}>
        {options}
      </select>
      <select name="many" multiple defaultValue={data.many}>
        {options}
      </select>
      <select name="own" value={own} onChange={({ target }) => setOwn(target.value)}>
        {options}
      </select>
      <output>
        {data.count} <b>times</b>
      </output>
      <button type="submit" id="store">
        Store
      </button>
      <p id="stored">
        {data.count} {data.choice} {data.many.join()} {own}
      </p>
    </form>
  )
}
