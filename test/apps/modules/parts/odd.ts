import { even } from './even'

export const odd = (value: number): boolean => value !== 0 && even(value - 1)
