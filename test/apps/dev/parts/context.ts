import { createContext } from 'react'

export const Word = createContext('default')
