import { Pressable, StyleSheet, Text } from 'react-native'
import { useColors } from './useColors'

interface ButtonProps {
  readonly title: string
  readonly onPress: () => void
  /** The one that matters most on the screen. */
  readonly isMain?: boolean
  readonly isDisabled?: boolean
}

/** A button that is as high as a finger needs: 44 points. */
export function Button({ title, onPress, isMain = false, isDisabled = false }: ButtonProps) {
  const colors = useColors()
  const look = isMain
    ? { backgroundColor: colors.accent, borderColor: colors.accent }
    : { backgroundColor: colors.card, borderColor: colors.line }
  return (
    <Pressable
      role="button"
      aria-disabled={isDisabled}
      disabled={isDisabled}
      onPress={onPress}
      style={[styles.button, look, isDisabled && styles.disabled]}
    >
      <Text style={[styles.title, { color: isMain ? colors.onAccent : colors.accent }]}>{title}</Text>
    </Pressable>
  )
}

const styles = StyleSheet.create({
  button: {
    minHeight: 44,
    paddingHorizontal: 16,
    borderWidth: 1,
    borderRadius: 8,
    alignItems: 'center',
    justifyContent: 'center',
  },
  disabled: { opacity: 0.5 },
  title: { fontSize: 16, fontWeight: '600' },
})
