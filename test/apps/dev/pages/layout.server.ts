export const load = () => null
