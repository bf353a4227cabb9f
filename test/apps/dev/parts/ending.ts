import { MARK } from './mark.ts'

export const ending = (text: string) => text + MARK
