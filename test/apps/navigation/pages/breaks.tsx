import type { PageProps } from 'hydrant/react'
import { useState } from 'react'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ url }: PageProps) {
  return (
    <StandardPage title="Breaks" url={url}>
      <Breaking />
    </StandardPage>
  )
}

function Breaking() {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('SECRET-MARKER')
  return (
    <button id="break" type="button" onClick={() => setBroken(true)}>
      break
    </button>
  )
}
