import { useEffect, useState } from 'react'

export default function Page() {
  const [text, setText] = useState('rendered')
  useEffect(() => setText('hydrated'), [])
  return <p>{text}</p>
}
