import { useState } from 'react'

export function useWord() {
  const [word] = useState('hook')
  return word
}
