import { useEffect, useState } from 'react'

interface Props {
  isBroken: boolean
}

function Part({ isBroken }: Props) {
  if (isBroken) throw new Error('no luck')
  return <b>whole</b>
}

export default function Fail() {
  const [isBroken, setBroken] = useState(false)
  useEffect(() => setBroken(true), [])
  return <Part isBroken={isBroken} />
}
