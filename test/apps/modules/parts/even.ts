import { odd } from './odd'

export const even = (value: number): boolean => value === 0 || odd(value - 1)
