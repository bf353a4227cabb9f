export { shared as load } from '../../parts/loads.ts'
