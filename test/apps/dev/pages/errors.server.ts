import { title } from '../parts/title.ts'

export const load = () => ({ title: title() })
