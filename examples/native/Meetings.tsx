import { useMeetings } from '@stagepass/react'
import { useState } from 'react'
import { FlatList, StyleSheet, Text, TextInput, View } from 'react-native'
import { Button } from './Button'
import { ErrorLine } from './ErrorLine'
import { useColors } from './useColors'

/** The meetings of the user, page by page, with a search. Pull the list down to refresh it. */
export function Meetings({ onSignIn }: { onSignIn: () => void }) {
  const [search, setSearch] = useState('')
  const [isPulled, setIsPulled] = useState(false)
  const colors = useColors()
  const { meetings, isPending, error, hasNextPage, isFetchingNextPage, ...list } = useMeetings({
    ownership: 'mine',
    search,
    fields: ['title', 'started_at'],
  })

  async function refresh(): Promise<void> {
    setIsPulled(true)
    await list.refresh()
    setIsPulled(false)
  }

  const retry = () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())
  return (
    <View style={[styles.card, { backgroundColor: colors.card, borderColor: colors.line }]}>
      <Text role="heading" style={[styles.title, { color: colors.text }]}>
        Meetings
      </Text>
      <TextInput
        aria-label="Search"
        placeholder="Search titles, notes and people"
        placeholderTextColor={colors.quiet}
        value={search}
        onChangeText={setSearch}
        autoCorrect={false}
        style={[styles.search, { color: colors.text, borderColor: colors.line }]}
      />
      <FlatList
        data={meetings}
        keyExtractor={({ id }) => id}
        renderItem={({ item: { title, started_at } }) => (
          <View style={[styles.row, { borderColor: colors.line }]}>
            <Text style={[styles.text, { color: colors.text }]}>{title ?? 'Without a title'}</Text>
            <Text style={{ color: colors.quiet }}>{started_at && new Date(started_at).toLocaleString()}</Text>
          </View>
        )}
        ListEmptyComponent={
          <Text style={{ color: colors.quiet }}>
            {isPending ? 'Loading …' : error ? '' : 'No meeting is found.'}
          </Text>
        }
        ListFooterComponent={
          hasNextPage && !error ? (
            <Button
              title={isFetchingNextPage ? 'Loading …' : 'More'}
              isDisabled={isFetchingNextPage}
              onPress={() => void list.fetchNextPage()}
            />
          ) : undefined
        }
        refreshing={isPulled}
        onRefresh={() => void refresh()}
        keyboardShouldPersistTaps="handled"
      />
      <ErrorLine error={error ?? list.refreshError} onRetry={retry} onSignIn={onSignIn} />
    </View>
  )
}

const styles = StyleSheet.create({
  card: { flex: 1, padding: 16, gap: 8, borderWidth: 1, borderRadius: 12 },
  title: { fontSize: 20, fontWeight: '700' },
  search: { minHeight: 44, paddingHorizontal: 12, borderWidth: 1, borderRadius: 8, fontSize: 16 },
  row: { paddingVertical: 12, gap: 4, borderBottomWidth: StyleSheet.hairlineWidth },
  text: { fontSize: 16, lineHeight: 22 },
})
