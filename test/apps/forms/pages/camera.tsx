import { useState } from 'react'

export default function Camera() {
  const [error, setError] = useState<DOMException>()
  if (error) throw error
  const fail = () => setError(new DOMException('Requested device not found', 'NotFoundError'))
  return (
    <button id="camera" type="button" onClick={fail}>
      Start
    </button>
  )
}
