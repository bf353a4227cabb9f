export const cache = { maxAgeS: 60 }
export const load = () => 'first'
