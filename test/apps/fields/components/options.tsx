export const options = ['a', 'b', 'c'].map((value) => <option key={value}>{value}</option>)
