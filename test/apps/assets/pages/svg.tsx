import { useState } from 'react'
import url from '../parts/logo.svg'
import Logo from '../parts/logo.svg?component'
import { State } from '../parts/state.tsx'

export default function Page() {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <Logo id="first" width={40} title="Tea <&> more" data-url={url} />
      <button id="show" type="button" onClick={() => setShown(true)}>
        show
      </button>
      {isShown && <Logo id="second" width={40} title="Tea <&> more" data-url={url} />}
      <State />
    </>
  )
}
