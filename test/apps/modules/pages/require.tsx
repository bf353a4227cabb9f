import { useState } from 'react'
import { find } from '../parts/require.cjs'

export default function Page() {
  const [name, setName] = useState('de')
  return (
    <main>
      <button id="fr" type="button" onClick={() => setName('fr')}>
        fr
      </button>
      <p id="text">{find(name)}</p>
    </main>
  )
}
