import { useState } from 'react'
import { ending } from './ending.ts'

export function useWord() {
  const [word] = useState('first')
  return word + ending('!')
}
