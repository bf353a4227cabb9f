import { next } from '../../late.server.ts'

export const action = () => next()
