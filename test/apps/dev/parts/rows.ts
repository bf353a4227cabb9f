import { prefix } from './prefix.ts'

export const row = () => `${prefix} row`
