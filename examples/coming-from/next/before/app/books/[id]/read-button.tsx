'use client'

import { useState } from 'react'

export function ReadButton() {
  const [isRead, setRead] = useState(false)
  return (
    <button type="button" onClick={() => setRead(!isRead)}>
      {isRead ? 'Read' : 'Not read yet'}
    </button>
  )
}
