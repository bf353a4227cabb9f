import { useEffect, useState } from 'react'

declare global {
  var tries: number | undefined
}

export default function Retried() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button id="again" type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Part isOpen={isOpen} />
    </>
  )
}

function Part({ isOpen }: { isOpen: boolean }) {
  useEffect(() => {
    globalThis.tries = (globalThis.tries ?? 0) + 1
    if (globalThis.tries > 1) document.body.removeChild(document.createElement('p'))
    void isOpen
  }, [isOpen])
  return <p>part</p>
}
