import type { ReactNode } from 'react'
import { Word } from './context.ts'

export function Provider({ children }: { children: ReactNode }) {
  return <Word.Provider value="given">{children}</Word.Provider>
}
